import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { AnswerReader } from '../load/answer-reader.ts';

/** A keep-alive connection to a known worker. */
export interface WorkerConnection {
  workerPid: number;
  /** Sends one request. @returns the status of its answer */
  ask(request: string): Promise<number>;
  end(): void;
}

/** Connections go to the workers in turn, so a few are enough. */
const triesForEach = 8;

/**
 * Opens one connection to each worker.
 *
 * @param request what is sent first on each, so that its worker has accepted it
 * @throws Error if a worker accepts none of many connections
 */
export async function connectToEach(
  port: number,
  workerPids: readonly number[],
  request: string,
): Promise<WorkerConnection[]> {
  const found = new Map<number, WorkerConnection>();
  for (let tries = 0; found.size < workerPids.length && tries < triesForEach * workerPids.length; tries++) {
    const connection = await connect(port);
    await connection.ask(request);
    const workerPid = ownerOf(port, connection.localPort, workerPids);
    if (workerPid === undefined || found.has(workerPid)) connection.end();
    else found.set(workerPid, { ...connection, workerPid });
  }
  if (found.size < workerPids.length) throw new Error('some workers got no connection');
  return [...found.values()];
}

async function connect(
  port: number,
): Promise<Omit<WorkerConnection, 'workerPid'> & { localPort: number | undefined }> {
  const socket: Socket = createConnection({ host: '127.0.0.1', port, noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const reader = new AnswerReader();
  let resolve: (status: number) => void = () => {};
  let reject: (error: Error) => void = () => {};
  socket.on('data', (chunk) => {
    for (const status of reader.push(chunk)) resolve(status);
  });
  socket.on('error', (error) => reject(error));
  socket.on('close', () => reject(new Error('the server closed a connection')));
  return {
    localPort: socket.localPort,
    ask: (request) =>
      new Promise((done, fail) => {
        [resolve, reject] = [done, fail];
        socket.write(request);
      }),
    end: () => void socket.destroy(),
  };
}

/** Which process holds the server's end of a connection (proc_pid_net(5), proc_pid_fd(5)). */
function ownerOf(
  serverPort: number,
  clientPort: number | undefined,
  pids: readonly number[],
): number | undefined {
  const hex = (port = 0) => port.toString(16).toUpperCase().padStart(4, '0');
  const form = new RegExp(
    `^\\s*\\d+: \\S+:${hex(serverPort)} \\S+:${hex(clientPort)} (?:\\S+ ){6}\\s*(\\d+)`,
    'm',
  );
  const lines = readFileSync('/proc/net/tcp', 'utf8').replaceAll(/ +/g, ' ');
  const inode = form.exec(lines)?.[1];
  return pids.find((pid) => openFilesOf(pid).includes(`socket:[${inode}]`));
}

function openFilesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    try {
      return [readlinkSync(`${folder}/${fd}`)];
    } catch {
      // Closed since it was listed.
      return [];
    }
  });
}
