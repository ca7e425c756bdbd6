import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Above what services usually listen on, and above every port that fetch refuses (https://fetch.spec.whatwg.org/#port-blocking). */
const lowestPort = 15_000;
/**
 * The first of the dynamic ports (RFC 6335, section 6). For a system that does not report its range, or leaves no room
 * below it.
 */
const firstDynamicPort = 49_152;

/** How long a port stays reserved before a server listens on it: a minute on a busy machine. */
const reservedMs = 120_000;

const given = new Set<number>();

/**
 * A free loopback port that no process of this user got recently: tests run side by side, and a server listens some seconds
 * after the choice. It lies outside the system's own range, whose ports outgoing connections could take in the meantime.
 */
export async function findFreePort(): Promise<number> {
  const outgoing = readOutgoingStart();
  const end = outgoing > lowestPort ? outgoing : firstDynamicPort;
  for (;;) {
    const port = randomInt(lowestPort, end);
    if (given.has(port) || !reserve(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

/** @returns whether no process has reserved it recently */
function reserve(port: number): boolean {
  const folder = join(tmpdir(), `latchkey-ports-${process.getuid?.() ?? 'all'}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, String(port));
  try {
    if (Date.now() - statSync(file).mtimeMs > reservedMs) rmSync(file, { force: true });
  } catch {
    // No process has reserved it.
  }
  try {
    // Of several processes at the same time, one makes the file.
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** The lowest port that this system gives to outgoing connections. */
function readOutgoingStart(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
  } catch {
    return firstDynamicPort;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
