"""The messages and the service of the gRPC API: generated from `tiles.proto` when the package is built."""
