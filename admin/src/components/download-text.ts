/** Saves a blob as a file, through the browser. */
export function downloadBlob(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** A file name that is valid on every file system. @param text any, such as the name of a key */
export function toFileName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '');
  return plain.slice(0, 60) || 'key';
}
