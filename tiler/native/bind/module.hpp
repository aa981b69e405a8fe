// Functions by which each file of this folder adds to the module. Docstrings and types given here end up in
// tiler/_native.pyi.
#pragma once

#include <nanobind/nanobind.h>

namespace tilescope {

void bind_activity(nanobind::module_& m);
void bind_argument_values(nanobind::module_& m);
void bind_by_track(nanobind::module_& m);
void bind_call_tree(nanobind::module_& m);
void bind_chunk_columns(nanobind::module_& m);
void bind_container(nanobind::module_& m);
void bind_folders(nanobind::module_& m);
void bind_histogram(nanobind::module_& m);
void bind_kind_sums(nanobind::module_& m);
void bind_least_slack(nanobind::module_& m);
void bind_map_guard(nanobind::module_& m);
void bind_message_fields(nanobind::module_& m);
void bind_metadata_stats(nanobind::module_& m);
void bind_operations(nanobind::module_& m);
void bind_order(nanobind::module_& m);
void bind_part_sums(nanobind::module_& m);
void bind_packed_texts(nanobind::module_& m);
void bind_pairing(nanobind::module_& m);
void bind_flow_bins(nanobind::module_& m);
void bind_launch_join(nanobind::module_& m);
void bind_pieces(nanobind::module_& m);
void bind_prove(nanobind::module_& m);
void bind_prove_flows(nanobind::module_& m);
void bind_pyramid(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_step_sums(nanobind::module_& m);
void bind_synth(nanobind::module_& m);
void bind_trace_event(nanobind::module_& m);
void bind_tables(nanobind::module_& m);
void bind_tree(nanobind::module_& m);
void bind_unlocked(nanobind::module_& m);
void bind_windows(nanobind::module_& m);
void bind_xspace(nanobind::module_& m);
void bind_xspace_args(nanobind::module_& m);
void bind_xspace_metadata(nanobind::module_& m);

}  // namespace tilescope
