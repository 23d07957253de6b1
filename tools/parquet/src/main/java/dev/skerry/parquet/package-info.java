/** Tables as Parquet files, written by DuckDB inside this process. */
package dev.skerry.parquet;
