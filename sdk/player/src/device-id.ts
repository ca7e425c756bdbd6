/** A name for one player among the viewer's leases. Unlike `randomUUID`, it can be made on pages without TLS, too. */
export function createDeviceId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(8));
  return `player-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
