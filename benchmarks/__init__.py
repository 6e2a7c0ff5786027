"""Speed, measured: ``python -m benchmarks`` prints one JSON line a figure."""
