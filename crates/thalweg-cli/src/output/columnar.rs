//! Tables by columns: Parquet and Arrow's files.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{RecordBatch, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;

use super::columns::{names, width};
use crate::dtype::{AnyType, DType};
use crate::format::Format;

/// Writes rows of numbers as columns.
pub struct Columnar {
    format: Format,
    /// The names of the columns, as they were given.
    pub(super) given: String,
    open: Option<Open>,
}

/// A table that was begun.
struct Open {
    schema: SchemaRef,
    dtype: DType,
    /// Bytes of a row that is not complete yet.
    rest: Vec<u8>,
    writer: Writer,
    written: Sink,
}

enum Writer {
    Parquet(Box<ArrowWriter<Sink>>),
    Arrow(Box<FileWriter<Sink>>),
}

/// What a writer has written and nobody has taken yet.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Columnar {
    pub fn new(format: Format, given: String) -> Self {
        Self { format, given, open: None }
    }

    /// Begins a table; what stands before its columns.
    pub fn begin(&mut self, dtype: AnyType, shape: &[usize]) -> Result<Vec<u8>, String> {
        let names = names(&self.given, width(dtype, shape)?, dtype)?;
        let fields: Vec<Field> = names.into_iter().map(|name| Field::new(name, type_of(dtype.part), false)).collect();
        let (schema, written) = (Arc::new(Schema::new(fields)), Sink::default());
        let writer = match self.format {
            Format::Parquet => {
                let writer = ArrowWriter::try_new(written.clone(), schema.clone(), None).map_err(|e| e.to_string())?;
                Writer::Parquet(Box::new(writer))
            }
            _ => {
                let writer = FileWriter::try_new(written.clone(), &schema).map_err(|e| e.to_string())?;
                Writer::Arrow(Box::new(writer))
            }
        };
        let header = written.take();
        self.open = Some(Open { schema, dtype: dtype.part, rest: Vec::new(), writer, written });
        Ok(header)
    }

    /// Takes numbers, row by row; what became of them.
    pub fn rows(&mut self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let Some(open) = &mut self.open else { return Err("no table was begun".to_owned()) };
        open.rest.extend_from_slice(bytes);
        let (size, width) = (open.dtype.size(), open.schema.fields().len());
        let rows = open.rest.len() / (size * width).max(1);
        let whole: Vec<u8> = open.rest.drain(..rows * size * width).collect();
        let columns = (0..width).map(|column| {
            let mut bytes = Vec::with_capacity(rows * size);
            for row in whole.chunks_exact(size * width) {
                bytes.extend_from_slice(&row[column * size..(column + 1) * size]);
            }
            let data = ArrayData::builder(type_of(open.dtype)).len(rows).add_buffer(Buffer::from_slice_ref(&bytes));
            data.build().map(make_array)
        });
        let columns = columns.collect::<Result<_, _>>().map_err(|e| e.to_string())?;
        let batch = RecordBatch::try_new(open.schema.clone(), columns).map_err(|e| e.to_string())?;
        match &mut open.writer {
            Writer::Parquet(writer) => writer.write(&batch).map_err(|e| e.to_string())?,
            Writer::Arrow(writer) => writer.write(&batch).map_err(|e| e.to_string())?,
        }
        Ok(open.written.take())
    }

    /// What stands behind all of them.
    pub fn end(&mut self) -> Result<Vec<u8>, String> {
        let Some(open) = self.open.take() else { return Ok(Vec::new()) };
        match open.writer {
            Writer::Parquet(writer) => _ = writer.close().map_err(|e| e.to_string())?,
            Writer::Arrow(mut writer) => writer.finish().map_err(|e| e.to_string())?,
        }
        Ok(open.written.take())
    }
}

fn type_of(dtype: DType) -> DataType {
    match dtype {
        DType::U8 => DataType::UInt8,
        DType::U16 => DataType::UInt16,
        DType::U32 => DataType::UInt32,
        DType::U64 => DataType::UInt64,
        DType::I8 => DataType::Int8,
        DType::I16 => DataType::Int16,
        DType::I32 => DataType::Int32,
        DType::I64 => DataType::Int64,
        DType::F32 => DataType::Float32,
        DType::F64 => DataType::Float64,
    }
}
