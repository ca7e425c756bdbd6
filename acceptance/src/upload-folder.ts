// A process that uploads a folder, for a test to kill it in the middle. Its one argument is an `UploadJob` in JSON; the API
// key is in LATCHKEY_API_KEY. It writes a line of JSON for each step, then one with the result.
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
      /** The most that the process ever had in memory. */
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
