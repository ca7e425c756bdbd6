import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'acceptance/src';
/** Marks of a test that starts a server, or is given one. */
const usesServer = /\b(openTarget|startServer|startInTest)\(/;
/** Marks of a test that needs a browser, an encoder or a proxy beside the server. */
const needsMore = /from '\.\/(playback|proxies|dashboard)\/|CHROMIUM_PATH|FFMPEG_PATH/;
/** Tests of a process's first start, end and kill. They take minutes and hardly concern the rows. */
const ofProcesses = /^(configuration|first-run|migrate-on-start|lifecycle|kill)\.test\.ts$/;

export interface SharedTests {
  /** Number of black-box tests in both releases that run against any given server. */
  onGiven: string[];
  /** Number of those that start their own servers, or can. */
  onOwn: string[];
  /** Tests that only the newer release has. */
  notShared: string[];
}

/** The black-box tests of the rows and of the interface that both releases have, by file name. */
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
