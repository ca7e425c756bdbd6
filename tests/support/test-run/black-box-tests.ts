import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../repository.ts';
import { listSourceFiles } from '../source-files.ts';

/** The call by which a test gets the server that `BASE_URL` names. */
const opening = 'openTarget(';
/** The calls by which a test starts a server with its own settings, on the tested profile. */
const starting = ['openShared(', 'startServer(', 'startServerToClose('];
const dashboardOpening = 'openDashboard(';
const playingTests = /^tests\/(browser\/(player\/|playback-)|api\/(playback-|speke-playback))/;

/** Their servers call receivers on this machine, or read its files. Containers do neither. */
const needsThisMachine =
  /^tests\/(api\/(audit-forward|misleading-ids|misplaced-credentials|webhooks)|browser\/player\/native)\.test\.ts$/;

/** Required configuration of the server: the origin of the pages with players (tests/browser/player/player-setup.ts). */
export const blackBoxSettings = { CORS_ORIGINS: 'http://player.localhost' };

/**
 * The tests that act on a given server, as paths from the root of the repository:
 *
 * - with `dashboard`, also the tests of its pages, which take as long as all others together;
 * - with `ownSettings`, also the tests that start servers with their own settings;
 * - with `containers`, only tests whose servers need nothing of this machine;
 * - without `playing`, no test that plays a video: such tests are about the player in the browser, hls.js or ffmpeg.
 */
export function listBlackBoxTests({
  dashboard = false,
  ownSettings = false,
  playing = true,
  containers = false,
} = {}): string[] {
  const calls = [opening, ...(dashboard ? [dashboardOpening] : []), ...(ownSettings ? starting : [])];
  const isBlackBox = (file: string) => {
    if (!/^tests\/(api|browser|programs)\/.*\.test\.ts$/.test(file)) return false;
    if (!playing && playingTests.test(file)) return false;
    if (containers && needsThisMachine.test(file)) return false;
    const text = readFileSync(join(repositoryFolder, file), 'utf8');
    return calls.some((call) => text.includes(call));
  };
  return listSourceFiles(repositoryFolder).filter(isBlackBox);
}
