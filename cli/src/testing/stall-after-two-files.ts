// A process that encrypts two files and then stops, for a test to kill it there.
// Arguments: the folder of the presentation, and the output folder.
import { encryptPresentation } from '../encrypt/encrypt-presentation.ts';
import { encryptOptions } from './encrypt-files.ts';

const [folder = '', outFolder = ''] = process.argv.slice(2);
let files = 0;
await encryptPresentation({
  ...encryptOptions(folder, 'f.m3u8'),
  outFolder,
  report: {
    fileDone() {
      files++;
      if (files < 2) return;
      process.stdout.write('two files\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  },
});
