// A process that uploads a folder, so that a test can kill it. Its argument is an `UploadJob` in JSON, and LATCHKEY_API_KEY has
// the API key. It writes a line of JSON for each step, then one with the result.
import { createFileMemory, openFolder, upload } from '@latchkey/uploader/node';

export interface UploadJob {
  readonly folder: string;
  readonly memory: string;
  readonly contentId: string;
  readonly keyServerUrl: string;
}

/** A line that it writes. */
export type UploadLine =
  | { readonly loadedBytes: number; readonly totalBytes: number; readonly filesDone: number }
  | {
      readonly statuses: Readonly<Record<string, string>>;
      readonly complete: boolean;
      readonly tokens: number;
      /** The highest resident memory of the process. */
      readonly peakMiB: number;
    };

const { folder, memory, ...options }: UploadJob = JSON.parse(process.argv[2] ?? '');
const write = (line: UploadLine) => void process.stdout.write(`${JSON.stringify(line)}\n`);
let tokens = 0;
const { files, complete } = await upload(await openFolder(folder), {
  ...options,
  auth() {
    tokens++;
    return process.env.LATCHKEY_API_KEY ?? '';
  },
  memory: createFileMemory(memory),
  onProgress: ({ loadedBytes, totalBytes, filesDone }) => write({ loadedBytes, totalBytes, filesDone }),
});
write({
  statuses: Object.fromEntries(files.map(({ path, status, error }) => [path, error?.message ?? status])),
  complete,
  tokens,
  peakMiB: process.resourceUsage().maxRSS / 1024,
});
