// `npm run test:clients`: real players against a real server.
import { provideTool } from '@latchkey/rig/provide-tool';
import { readFlags } from '@latchkey/rig/read-flags';
import { runTests } from '@latchkey/rig/test-run/run-tests';

const usage = `npm run test:clients: what docs/clients.md says of players, with the players themselves

ffmpeg, mpv, VLC, GStreamer, and in Chromium hls.js, Shaka Player, dash.js and video.js. A program that is not here is installed
(Debian, as root); what could not run is named at the end. \`npm test\` runs the same, but installs no mpv and no GStreamer.

Ends with: N passed, N failed, N skipped. Exits 0 if nothing failed and something passed.
`;
readFlags(usage, {});

provideTool('mpv');
provideTool('gstreamer');
process.exitCode = await runTests(['acceptance/src/clients/'], {
  ...process.env,
  TEST_SESSION_PLAYERS: 'true',
});
