//! MPI as a transport, and how a job ends.
//!
//! Three ways a job can fail. What all ranks know, such as a bad row of an input, is told by rank 0 and all exit ([`Ended::Together`]).
//! What one rank alone meets, such as memory that the system refuses, it tells itself and ends the job: the others may be waiting
//! for it ([`Ended::Alone`]). And a panic ends the job as well; by itself it would end one rank, and leave the rest waiting for ever.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use mpi::Threading;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::interrupt;
use thalweg_core::{Error, Result};
use thalweg_parts::Ranks;
use thalweg_parts::ranks::{gather, gather_one};

/// Bytes of a message at most: MPI counts them with 31 bits.
const LIMIT: usize = 1 << 30;

/// Lowers that.
const VARIABLE: &str = "THALWEG_MPI_LIMIT";

/// All processes of the job.
#[derive(Debug)]
pub struct World {
    rank: usize,
    size: usize,
    limit: usize,
    /// Ranks on this machine.
    pub neighbours: usize,
    /// What was exchanged so far.
    traffic: Traffic,
}

/// Messages of a rank.
#[derive(Debug, Default)]
struct Traffic {
    rounds: AtomicU64,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

/// How a run ended that did not succeed.
#[derive(Debug)]
pub enum Ended {
    /// All ranks say the same.
    Together(Failure),
    /// Nobody else knows.
    Alone(Failure),
}

/// Shorthand for results of commands.
pub type Run<T = ()> = std::result::Result<T, Ended>;

impl Ended {
    /// An error, put into words.
    pub fn of(error: Error, words: impl FnOnce(Error) -> Failure) -> Self {
        match error {
            // Found by all, or told to all.
            Error::Query { .. } | Error::Link { .. } | Error::Join { .. } | Error::Cycle { .. } => {
                Self::Together(words(error))
            }
            _ => Self::Alone(error.into()),
        }
    }
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self::of(error, Failure::from)
    }
}

/// Starts MPI, runs, ends MPI.
pub fn run(work: impl FnOnce(&World) -> Run) -> ExitCode {
    keep_freed_memory();
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        return Failure::new("MPI was started already").report("thalweg-mpi");
    };
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        told(panic);
        abort();
    }));
    let comm = SimpleCommunicator::world();
    let neighbours = comm.split_shared(comm.rank()).size() as usize;
    let (rank, size) = (comm.rank() as usize, comm.size() as usize);
    let world = World { rank, size, limit: LIMIT, neighbours, traffic: Traffic::default() };
    let done = world.with_limit().and_then(|world| {
        if cfg!(debug_assertions) {
            world.fault()?;
        }
        work(&world)
    });
    match done {
        Ok(()) => {
            drop(universe);
            ExitCode::SUCCESS
        }
        Err(Ended::Together(failure)) => {
            // All wait for the line: whoever ends first may take it away.
            let code = if world.rank == 0 { failure.report("thalweg-mpi") } else { failure.code() };
            drop(universe);
            code
        }
        Err(Ended::Alone(failure)) => {
            let _ = failure.report("thalweg-mpi");
            abort();
        }
    }
}

/// Has the allocator use again what was freed: messages come and go, and each would be fresh memory, whose pages the system clears when they
/// are touched. On two ranks nearest values of sorted data took 67 ms instead of 81, range minima 80 instead of 127.
fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    for (option, value) in
        [(libc::M_MMAP_THRESHOLD, 1 << 30), (libc::M_TRIM_THRESHOLD, i32::MAX), (libc::M_TOP_PAD, 64 << 20)]
    {
        // SAFETY: sets a number of the allocator, which checks it; there are no other threads yet.
        unsafe { libc::mallopt(option, value) };
    }
}

/// Ends the job, all ranks of it.
fn abort() -> ! {
    interrupt::remove_unfinished();
    SimpleCommunicator::world().abort(2)
}

impl World {
    /// The same with the limit that the environment asks for, if it does.
    fn with_limit(&self) -> Run<Self> {
        let own = match std::env::var(VARIABLE) {
            Ok(text) => match text.parse() {
                Ok(limit @ 1..=LIMIT) => Ok(limit),
                _ => Err(Failure::at(VARIABLE, format_args!("'{text}' is no number of bytes from 1 to 2^30"))),
            },
            Err(_) => Ok(LIMIT),
        };
        let own = self.agree(own)?;
        // Launchers need not pass variables on to all.
        let limits = gather_one(self, own as u64)?;
        let limit = limits.into_iter().min().unwrap_or(1) as usize;
        Ok(Self { limit, traffic: Traffic::default(), ..*self })
    }

    /// For tests: `THALWEG_MPI_FAULT=panic:1` has rank 1 panic when the others are at work, `exit` exit, `alone` fail alone, `wrong` find a
    /// wrong answer.
    fn fault(&self) -> Run {
        match self.fault_asked_for().as_deref() {
            Some("wrong") | None => Ok(()),
            Some(fault) => {
                std::thread::sleep(std::time::Duration::from_millis(300));
                match fault {
                    "panic" => panic!("as was asked for"),
                    "exit" => std::process::exit(1),
                    _ => Err(Ended::Alone(Failure::new("as was asked for"))),
                }
            }
        }
    }

    /// The fault that this rank is to have.
    fn fault_asked_for(&self) -> Option<String> {
        let text = std::env::var("THALWEG_MPI_FAULT").ok()?;
        let (fault, rank) = text.split_once(':')?;
        (rank == self.rank.to_string()).then(|| fault.to_owned())
    }

    /// Makes the answer in the middle wrong, if that is the fault: checks must find it.
    pub fn spoil<T: bytemuck::Pod>(&self, answers: &mut [T]) {
        if cfg!(debug_assertions) && self.fault_asked_for().as_deref() == Some("wrong") {
            let middle = answers.len() / 2;
            if let Some(top) = bytemuck::cast_slice_mut::<T, u8>(answers).get_mut((middle + 1) * size_of::<T>() - 1) {
                *top ^= 0x40;
            }
        }
    }

    /// Success if all ranks succeed; else the failure of the lowest that does not, at all of them.
    pub fn agree<T>(&self, own: Outcome<T>) -> Run<T> {
        let told = own.as_ref().err().map(|failure| [&[failure.number()], failure.to_string().as_bytes()].concat());
        let told = gather(self, &told.unwrap_or_default())?;
        match (told.iter().find_map(|told| told.split_first()), own) {
            (None, Ok(own)) => Ok(own),
            (Some((&code, text)), _) => Err(Ended::Together(Failure::retold(code, String::from_utf8_lossy(text)))),
            (None, Err(quiet)) => Err(Ended::Alone(quiet)),
        }
    }

    /// What rank 0 has.
    pub fn of_first(&self, own: Vec<u8>) -> Run<Vec<u8>> {
        let own = if self.rank == 0 { own } else { Vec::new() };
        Ok(gather(self, &own)?.swap_remove(0))
    }

    /// Rounds of messages so far, bytes that this rank has sent, and nanoseconds that it sent and waited.
    pub fn traffic(&self) -> [u64; 3] {
        let Traffic { rounds, bytes, nanoseconds } = &self.traffic;
        [rounds, bytes, nanoseconds].map(|count| count.load(Ordering::Relaxed))
    }

    /// Waits for all.
    pub fn meet(&self) -> Run {
        gather_one(self, 0u8)?;
        Ok(())
    }
}

impl Ranks for World {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn limit(&self) -> usize {
        self.limit
    }

    fn round(&self, out: &[&[u8]], into: &mut [&mut [u8]]) -> Result<()> {
        let (comm, start) = (SimpleCommunicator::world(), Instant::now());
        mpi::request::multiple_scope(2 * self.size, |scope, requests| {
            for (from, room) in into.iter_mut().enumerate() {
                if from == self.rank {
                    room.copy_from_slice(out[from]);
                } else if !room.is_empty() {
                    requests.add(comm.process_at_rank(from as i32).immediate_receive_into(scope, &mut **room));
                }
            }
            for (to, message) in out.iter().enumerate() {
                if to != self.rank && !message.is_empty() {
                    requests.add(comm.process_at_rank(to as i32).immediate_send(scope, *message));
                }
            }
            requests.wait_all(&mut Vec::new());
        });
        let sent = out.iter().enumerate().filter(|&(to, _)| to != self.rank).map(|(_, message)| message.len() as u64);
        let Traffic { rounds, bytes, nanoseconds } = &self.traffic;
        for (count, more) in [(rounds, 1), (bytes, sent.sum()), (nanoseconds, start.elapsed().as_nanos() as u64)] {
            count.fetch_add(more, Ordering::Relaxed);
        }
        Ok(())
    }
}
