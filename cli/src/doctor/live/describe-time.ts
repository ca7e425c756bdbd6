/** Such as `340 ms`, `4.2 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function describeMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Such as `+12 ms (±3 ms)`. */
export function describeSkew(skewMs: number, accuracyMs: number): string {
  return `${skewMs < 0 ? '-' : '+'}${describeMs(Math.abs(skewMs))} (±${describeMs(accuracyMs)})`;
}
