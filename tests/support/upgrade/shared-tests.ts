import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'acceptance/src';
/** Matches a test that starts a server or gets one. */
const usesServer = /\b(openTarget|openShared|startServer|startInTest)\(/;
/** Matches a test that also needs a browser, an encoder or a proxy. */
const needsMore = /from '\.\/(playback|proxies|dashboard)\/|CHROMIUM_PATH|FFMPEG_PATH/;
/** Tests of a first start, an end or a kill of a process. They take minutes and hardly depend on the schema. */
const ofProcesses = /^(configuration|first-run|migrate-on-start|lifecycle|kill)\.test\.ts$/;

export interface SharedTests {
  /** Files of both releases that can run against a given server. */
  onGiven: string[];
  /** All files of both releases: each can start its own servers. */
  onOwn: string[];
  /** Files that only the newer release has. */
  notShared: string[];
}

/** Finds the black-box tests of the API and the rows that both releases have, as paths from the root. */
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
