import type { UploadFile } from './upload-options.ts';

/** A File as an `<input type="file">` or a drop gives it. */
type PickedFile = Blob & { readonly name: string; readonly webkitRelativePath?: string };

/**
 * The files of an `<input type="file">`. With `webkitdirectory`, paths are those below the folder that was picked; files
 * whose name begins with a dot are left out.
 */
export function filesFromList(list: Iterable<PickedFile> | ArrayLike<PickedFile>): UploadFile[] {
  return Array.from(list, (data) => ({
    path: data.webkitRelativePath?.replace(/^[^/]*\//, '') || data.name,
    data,
  })).filter(({ path }) => !/(^|\/)\./.test(path));
}
