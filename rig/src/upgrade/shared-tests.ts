import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'acceptance/src';
/** What tells that a test starts a server, or is given one. */
const usesServer = /\b(openTarget|startServer|startInTest)\(/;
/** What needs a browser, an encoder or a proxy beside the server. */
const needsMore = /from '\.\/(playback|proxies|dashboard)\/|CHROMIUM_PATH|FFMPEG_PATH/;
/** They ask how a process starts for the first time, ends and is killed, for minutes, and hardly anything of the rows. */
const ofProcesses = /^(configuration|first-run|migrate-on-start|lifecycle|kill)\.test\.ts$/;

export interface SharedTests {
  /** Of black-box tests that both releases have: those that act on any server they are given. */
  onGiven: string[];
  /** And those that start servers of their own, or can. */
  onOwn: string[];
  /** What only the newer one has. */
  notShared: string[];
}

/** The black-box tests of the rows and of the interface that two releases have in common, by the names of their files. */
export function findSharedTests(older: string, newer: string): SharedTests {
  const read = (root: string, file: string) => readFileSync(join(root, folder, file), 'utf8');
  const fit = (text: string) => usesServer.test(text) && !needsMore.test(text);
  const candidates = readdirSync(join(newer, folder))
    .filter((file) => file.endsWith('.test.ts') && !ofProcesses.test(file) && fit(read(newer, file)))
    .sort();
  const shared = candidates.filter((file) => existsSync(join(older, folder, file)));
  const inBoth = (text: string, file: string) =>
    read(older, file).includes(text) && read(newer, file).includes(text);
  const paths = (files: readonly string[]) => files.map((file) => `${folder}/${file}`);
  return {
    onGiven: paths(shared.filter((file) => inBoth('openTarget(', file))),
    onOwn: paths(shared),
    notShared: paths(candidates.filter((file) => !shared.includes(file))),
  };
}
