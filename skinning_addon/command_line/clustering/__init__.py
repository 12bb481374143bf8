"""Checking files on a cluster that Dask runs."""
