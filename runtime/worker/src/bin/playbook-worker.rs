//! A worker and nothing else: it serves sandbox jobs over its standard input and output until the input ends.

fn main() {
    playbook_worker::serve();
}
