/** Reported at each change. No number decreases, also if a file is sent again from its beginning. */
export interface UploadProgress {
  /** The file whose progress changed. */
  readonly path: string;
  /** Bytes of that file sent, at most its size. A skipped file counts as sent. */
  readonly fileLoadedBytes: number;
  readonly fileTotalBytes: number;
  /** Bytes of all files. */
  readonly loadedBytes: number;
  readonly totalBytes: number;
  /** Files that are in the bucket. */
  readonly filesDone: number;
  readonly filesTotal: number;
}

/** Counts the progress of one file. */
export interface FileProgress {
  /** @param bytes sent in the present attempt */
  sent(bytes: number): void;
  /** It is in the bucket. */
  done(): void;
}

/** @param report called at each change. Its errors become uncaught errors and do not stop the upload */
export function createProgress(
  files: readonly { readonly path: string; readonly size: number }[],
  report: ((progress: UploadProgress) => void) | undefined,
): (index: number) => FileProgress {
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  let loadedBytes = 0;
  let filesDone = 0;

  return (index) => {
    const { path = '', size = 0 } = files[index] ?? {};
    let loaded = 0;
    const emit = () => {
      const fileLoadedBytes = loaded;
      const state = { path, fileLoadedBytes, fileTotalBytes: size, loadedBytes, totalBytes, filesDone };
      try {
        report?.({ ...state, filesTotal: files.length });
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    };
    const advance = (bytes: number): boolean => {
      const reached = Math.min(bytes, size);
      if (reached <= loaded) return false;
      loadedBytes += reached - loaded;
      loaded = reached;
      return true;
    };
    return {
      sent(bytes) {
        if (advance(bytes)) emit();
      },
      done() {
        advance(size);
        filesDone++;
        emit();
      },
    };
  };
}
