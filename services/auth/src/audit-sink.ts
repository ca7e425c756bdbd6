import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { connect } from 'node:net';
import type { AuditTarget } from '@latchkey/shared/config';

/** Where the audit is forwarded to. */
export interface AuditSink {
  /**
   * Resolves once the target has taken every line.
   *
   * @throws what the system says. A part of the lines may have been taken, and all of them are to be sent again
   */
  write(lines: readonly string[]): Promise<void>;
}

interface SinkFacts {
  /** For the header of a syslog message. */
  host: string;
  pid: number;
  now: () => number;
}

export function openAuditSink(target: AuditTarget, facts: SinkFacts): AuditSink {
  return target.kind === 'file' ? openFile(target.path) : openSyslog(target, facts);
}

/** The audit holds names and addresses of persons. */
const ownerOnly = 0o600;

/** Opens the file for each write, so that a rotation by renaming needs no signal. */
function openFile(path: string): AuditSink {
  return {
    async write(lines) {
      const file = await open(path, 'a+', ownerOnly);
      try {
        const { size } = await file.stat();
        const { buffer } = size === 0 ? { buffer: null } : await file.read(Buffer.alloc(1), 0, 1, size - 1);
        // A full disk may have taken half of a line. What follows must not become a part of it.
        const start = buffer !== null && buffer[0] !== newline ? '\n' : '';
        await file.appendFile(`${start}${lines.join('\n')}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}

const newline = 0x0a;
/** A target that takes longer is away. The rows wait in the database. */
const limitMs = 10_000;
/** RFC 5424 section 6.2.1: facility 13 (log audit), severity 6 (informational). */
const priority = 13 * 8 + 6;

/**
 * RFC 5424 messages over TCP with their lengths (RFC 6587 section 3.4.1), over a connection for each write. Syslog confirms nothing, so
 * the lines count as taken once the receiver has closed its side after ours: it has read everything then.
 */
function openSyslog({ host, port }: { host: string; port: number }, facts: SinkFacts): AuditSink {
  const header = `${facts.host.replace(/[^!-~]/g, '_').slice(0, 255)} latchkey ${facts.pid} audit -`;
  const frame = (line: string) => {
    const message = `<${priority}>1 ${new Date(facts.now()).toISOString()} ${header} ${line}`;
    return `${Buffer.byteLength(message)} ${message}`;
  };
  return {
    async write(lines) {
      const socket = connect({ host, port });
      socket.setTimeout(limitMs, () => socket.destroy(new Error(`no answer within ${limitMs} ms`)));
      socket.resume();
      const closed = once(socket, 'close');
      // Where the connection fails, the wait below says so.
      closed.catch(() => {});
      try {
        await once(socket, 'connect');
        socket.end(lines.map(frame).join(''));
        // Rejects where an error comes first.
        await closed;
      } finally {
        socket.destroy();
      }
    },
  };
}
