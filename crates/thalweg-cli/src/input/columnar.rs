//! Tables by columns: Parquet and Arrow's files and streams (Feather, version 2, is one), of numbers and truth values.
//!
//! Only what is asked for is decoded, groups of rows of a Parquet file by all threads. What is null is an error: there is no
//! number for it.

use std::io::Cursor;
use std::panic::{self, AssertUnwindSafe};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use rayon::prelude::*;
use thalweg_core::parallel;

use super::bytes::Bytes;
use super::table::{Wanted, pick, shape_of};
use crate::dtype::{DType, Element, with_dtype};
use crate::failure::{Failure, Outcome};
use crate::format::Format;
use crate::memory;

/// What a file of Arrow's begins with; a stream does not.
const MAGIC: &[u8] = b"ARROW1";

/// Reads what is wanted: type, shape and numbers.
pub fn read(bytes: Bytes, wanted: &Wanted<'_>, name: &str) -> Outcome<(DType, Vec<usize>, Bytes)> {
    let failed = |text: String| Failure::at(name, text);
    let source = guarded(|| Source::open(bytes, wanted.format)).map_err(failed)?;
    let fields = source.schema();
    let names: Vec<String> = fields.fields().iter().map(|field| field.name().clone()).collect();
    let chosen = pick(&names, wanted.part).map_err(failed)?;
    let shown = |column: usize| format!("column {} ({})", column + 1, names[column]);
    let mut types = Vec::new();
    for &column in &chosen {
        types.push(dtype_of(fields.field(column)).map_err(|text| failed(format!("{}: {text}", shown(column))))?);
    }
    let batches = guarded(|| source.batches(&chosen)).map_err(failed)?;
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let shape = shape_of([rows, chosen.len()], wanted.columns, wanted.part, false, &|| names.join(", "));
    let shape = shape.map_err(failed)?;
    let dtype = wanted.dtype.unwrap_or_else(|| common(&types));
    let mut found = Vec::new();
    for (&column, &from) in chosen.iter().zip(&types) {
        let numbers = Numbers::of(&batches, fields.field(column).name(), from, rows);
        found.push(numbers.map_err(|text| failed(format!("{}: {text}", shown(column))))?);
    }
    let len = rows * found.len();
    let mut words = memory::filled((len * dtype.size()).div_ceil(8), 0u64, name)?;
    let bad = with_dtype!(dtype, T => fill(&mut bytemuck::cast_slice_mut::<u64, T>(&mut words)[..len], &found));
    match bad {
        Some(i) => {
            let column = shown(chosen[i % found.len()]);
            Err(failed(format!("row {}, {column}: does not fit {dtype}", i / found.len())))
        }
        None => Ok((dtype, shape, Bytes::of_words(words, len * dtype.size()))),
    }
}

/// Runs what may panic where a file is damaged: the crates are not all careful. Nothing else runs meanwhile.
fn guarded<R>(work: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(hook);
    done.unwrap_or_else(|_| Err("is damaged".to_owned()))
}

/// An open file.
enum Source {
    Parquet(bytes::Bytes, ArrowReaderMetadata),
    Arrow(Bytes, SchemaRef),
}

fn bad_parquet(error: parquet::errors::ParquetError) -> String {
    format!("bad Parquet: {error}")
}

fn bad_arrow(error: ArrowError) -> String {
    format!("bad Arrow: {error}")
}

impl Source {
    fn open(bytes: Bytes, format: Format) -> Result<Self, String> {
        if format == Format::Parquet {
            let bytes = bytes::Bytes::from_owner(bytes);
            let metadata = ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new()).map_err(bad_parquet)?;
            return Ok(Self::Parquet(bytes, metadata));
        }
        let cursor = Cursor::new(bytes.get());
        let schema = match bytes.get().starts_with(MAGIC) {
            true => FileReader::try_new(cursor, None).map(|reader| reader.schema()),
            false => StreamReader::try_new(cursor, None).map(|reader| reader.schema()),
        };
        Ok(Self::Arrow(bytes, schema.map_err(bad_arrow)?))
    }

    fn schema(&self) -> SchemaRef {
        match self {
            Self::Parquet(_, metadata) => metadata.schema().clone(),
            Self::Arrow(_, schema) => schema.clone(),
        }
    }

    /// The rows of these columns.
    fn batches(&self, columns: &[usize]) -> Result<Vec<RecordBatch>, String> {
        match self {
            Self::Parquet(bytes, metadata) => {
                let groups = 0..metadata.metadata().num_row_groups();
                let read = |group: usize| {
                    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), metadata.clone());
                    let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
                    let reader = builder.with_projection(mask).with_row_groups(vec![group]).build();
                    let batches = reader.map_err(bad_parquet)?.collect::<Result<Vec<_>, _>>();
                    batches.map_err(|error| format!("bad Parquet: {error}"))
                };
                let read: Vec<Result<Vec<RecordBatch>, String>> = groups.into_par_iter().map(read).collect();
                Ok(read.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
            }
            Self::Arrow(bytes, _) => {
                // In the order of the file, and each once.
                let mut columns = columns.to_vec();
                columns.sort_unstable();
                columns.dedup();
                let cursor = Cursor::new(bytes.get());
                match bytes.get().starts_with(MAGIC) {
                    true => FileReader::try_new(cursor, Some(columns)).and_then(Iterator::collect),
                    false => StreamReader::try_new(cursor, Some(columns)).and_then(Iterator::collect),
                }
                .map_err(bad_arrow)
            }
        }
    }
}

/// The type of a column's numbers; truth values are bytes.
fn dtype_of(field: &Field) -> Result<DType, String> {
    Ok(match field.data_type() {
        DataType::Boolean | DataType::UInt8 => DType::U8,
        DataType::UInt16 => DType::U16,
        DataType::UInt32 => DType::U32,
        DataType::UInt64 => DType::U64,
        DataType::Int8 => DType::I8,
        DataType::Int16 => DType::I16,
        DataType::Int32 => DType::I32,
        DataType::Int64 => DType::I64,
        DataType::Float32 => DType::F32,
        DataType::Float64 => DType::F64,
        other => return Err(format!("holds {other}, expected numbers")),
    })
}

/// A type for all of the numbers: their own if it is one, otherwise int64, or float64 if there are floats or large numbers
/// without a sign.
fn common(types: &[DType]) -> DType {
    match types {
        [] => DType::I64,
        [first, rest @ ..] if rest.iter().all(|other| other == first) => *first,
        _ if types.iter().any(|dtype| matches!(dtype, DType::F32 | DType::F64 | DType::U64)) => DType::F64,
        _ => DType::I64,
    }
}

/// A column of numbers.
struct Numbers {
    dtype: DType,
    /// Integers as 64 bits with or without a sign, floats as doubles.
    bits: Vec<u64>,
}

impl Numbers {
    fn of(batches: &[RecordBatch], name: &str, dtype: DType, rows: usize) -> Result<Self, String> {
        let mut bits = memory::room(rows, "a column").map_err(|failure| failure.to_string())?;
        for batch in batches {
            let array = batch.column_by_name(name).ok_or("is missing from some rows")?;
            if let Some(row) = (0..array.len()).find(|&row| array.is_null(row)) {
                return Err(format!("row {} is null", bits.len() + row));
            }
            match array.data_type() {
                DataType::Boolean => bits.extend(array.as_boolean().values().iter().map(u64::from)),
                DataType::UInt8 => extend::<UInt8Type>(&mut bits, array, u64::from),
                DataType::UInt16 => extend::<UInt16Type>(&mut bits, array, u64::from),
                DataType::UInt32 => extend::<UInt32Type>(&mut bits, array, u64::from),
                DataType::UInt64 => extend::<UInt64Type>(&mut bits, array, |x| x),
                DataType::Int8 => extend::<Int8Type>(&mut bits, array, |x| i64::from(x) as u64),
                DataType::Int16 => extend::<Int16Type>(&mut bits, array, |x| i64::from(x) as u64),
                DataType::Int32 => extend::<Int32Type>(&mut bits, array, |x| i64::from(x) as u64),
                DataType::Int64 => extend::<Int64Type>(&mut bits, array, |x| x as u64),
                DataType::Float32 => extend::<Float32Type>(&mut bits, array, |x| f64::from(x).to_bits()),
                _ => extend::<Float64Type>(&mut bits, array, f64::to_bits),
            }
        }
        Ok(Self { dtype, bits })
    }
}

fn extend<T: ArrowPrimitiveType>(bits: &mut Vec<u64>, array: &dyn Array, convert: impl Fn(T::Native) -> u64) {
    bits.extend(array.as_primitive::<T>().values().iter().map(|&x| convert(x)));
}

/// Writes the columns side by side; the first place whose number does not fit.
fn fill<T: Element>(out: &mut [T], columns: &[Numbers]) -> Option<usize> {
    let width = columns.len();
    let one = |i: usize| {
        let Numbers { dtype, bits } = &columns[i % width];
        convert::<T>(*dtype, bits[i / width])
    };
    let all_fit = parallel::try_for_each_chunk_mut(out, 1 << 14, &|start, out| {
        (start..).zip(out).all(|(i, out)| one(i).map(|number| *out = number).is_some())
    });
    if all_fit { None } else { (0..out.len()).find(|&i| one(i).is_none()) }
}

/// A number of one type as another, if that has it; floats are rounded, but no integer is made of one.
fn convert<T: Element>(from: DType, bits: u64) -> Option<T> {
    let is_single = size_of::<T>() == size_of::<f32>();
    if matches!(from, DType::F32 | DType::F64) {
        let value = f64::from_bits(bits);
        let rounded = if is_single { (value as f32).to_bits().into() } else { value.to_bits() };
        return T::FLOAT.then(|| T::from_low_bits(rounded));
    }
    let value = if from.name().starts_with('i') { i128::from(bits as i64) } else { i128::from(bits) };
    if T::FLOAT {
        return Some(T::from_low_bits(if is_single {
            (value as f32).to_bits().into()
        } else {
            (value as f64).to_bits()
        }));
    }
    let width = 8 * size_of::<T>() as u32;
    let is_signed = T::DTYPE.name().starts_with('i');
    let range = if is_signed { -(1i128 << (width - 1))..1 << (width - 1) } else { 0..1 << width };
    range.contains(&value).then(|| T::from_low_bits(bits))
}
