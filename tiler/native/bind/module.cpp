// The native module: registers what the files of this folder bind. They alone know Python.
#include "bind/module.hpp"

NB_MODULE(_native, m) {
    m.doc() = "Hot loops of tilescope.tiler. Columns are arrays of one dimension that lie in one piece.";
    tilescope::bind_chunk_columns(m);  // before those who take them
    tilescope::bind_activity(m);
    tilescope::bind_argument_values(m);
    tilescope::bind_by_track(m);
    tilescope::bind_container(m);
    tilescope::bind_call_tree(m);
    tilescope::bind_folders(m);
    tilescope::bind_histogram(m);
    tilescope::bind_kind_sums(m);
    tilescope::bind_least_slack(m);
    tilescope::bind_map_guard(m);
    tilescope::bind_message_fields(m);
    tilescope::bind_metadata_stats(m);
    tilescope::bind_operations(m);
    tilescope::bind_order(m);
    tilescope::bind_packed_texts(m);
    tilescope::bind_pairing(m);
    tilescope::bind_flow_bins(m);
    tilescope::bind_launch_join(m);
    tilescope::bind_part_sums(m);
    tilescope::bind_pieces(m);
    tilescope::bind_prove(m);
    tilescope::bind_prove_flows(m);
    tilescope::bind_search(m);
    tilescope::bind_step_sums(m);
    tilescope::bind_synth(m);
    tilescope::bind_windows(m);
    tilescope::bind_xspace_metadata(m);
    tilescope::bind_xspace(m);
    tilescope::bind_xspace_args(m);
    tilescope::bind_pyramid(m);
    tilescope::bind_trace_event(m);
    tilescope::bind_tables(m);
    tilescope::bind_tree(m);
    tilescope::bind_unlocked(m);
}
