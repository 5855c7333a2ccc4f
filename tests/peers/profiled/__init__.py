"""Programs by others that profiled_programs.py profiles, and how their findings are held against what others say."""
