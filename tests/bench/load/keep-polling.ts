/**
 * Keeps the event loop polling instead of waiting. Waking a process takes the server some 5 µs of its own time in a virtual machine, and
 * the more often the slower the server is, because a load generator with little to do sleeps more. Clients on other machines cost no
 * server that.
 *
 * @param onTurn called once in each turn
 * @returns ends it
 */
export function keepPolling(onTurn = () => {}): () => void {
  let isOver = false;
  const turn = () => {
    if (isOver) return;
    onTurn();
    setImmediate(turn);
  };
  turn();
  return () => {
    isOver = true;
  };
}
