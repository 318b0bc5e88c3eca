//! The engine on the software drivers, under validation of calls and of synchronisation.

mod attention;
mod bad_input;
mod capabilities;
mod errors_page;
mod formats;
mod histories;
mod hosts;
mod injected_faults;
mod network;
mod ownership;
mod passes;
mod recorded_commands;
mod sizes;
mod stage;
mod tap;
