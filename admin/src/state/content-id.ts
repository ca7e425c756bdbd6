/** Whether a content can have this ID. */
export const isContentId = (text: string): boolean => /^[A-Za-z0-9_-]{1,256}$/.test(text);
