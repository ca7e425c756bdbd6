import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup.ts';
import { createLeases, listedRequests, registerContent, viewerTokens } from '../keys/viewers.ts';
import type { RequestSource } from '../load/request-source.ts';
import { startSingleNode } from '../servers.ts';

/** A single node, with one process or with workers, and the requests of its viewers. */
export interface Node {
  name: string;
  url: string;
  port: number;
  /** The process that was started, which is the parent of the others. */
  pid: number;
  /** None where one process does everything. */
  workerPids: number[];
  source: RequestSource;
}

/** Starts a single node on a new SQLite file. A thousand viewers have a token and a lease each. */
export async function startNode(workers: number, cleanup: Cleanup): Promise<Node> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  cleanup.add({ stop: () => rmSync(folder, { recursive: true }) });
  const name = workers === 1 ? 'one process' : `${workers} workers`;
  const settings = { SQLITE_PATH: join(folder, 'latchkey.db'), LATCHKEY_WORKERS: String(workers) };
  const { url, pid } = cleanup.add(await startSingleNode(settings, name));
  await registerContent({ url });
  const tokens = viewerTokens();
  const source = listedRequests(tokens, await createLeases({ url }, tokens));
  return { name, url, port: Number(new URL(url).port), pid, workerPids: childrenOf(pid), source };
}

/** The processes that a process has started from its main thread (proc_pid_task_children(5)). */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
