import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { openSqlite } from './sqlite.ts';

// A separate thread, which opens new files at the same instant as other threads.
const { folder, files, turns } = workerData as { folder: string; files: number; turns: Int32Array };
const threads = Atomics.load(turns, 0);
for (let file = 1; file <= files; file++) {
  Atomics.add(turns, file, 1);
  while (Atomics.load(turns, file) < threads);
  openSqlite(join(folder, `${file}.db`)).close();
}
