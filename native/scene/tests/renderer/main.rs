//! The renderer on both software drivers, under validation: light against closed forms, guides against the CPU.

mod devices;
mod furnace;
mod guides;
mod lamp;
mod stage;
mod unbiased;
