import { asRecord, type UploadMemory } from './upload-memory.ts';

/** Before each place in the storage, which the whole origin shares. */
const prefix = 'latchkey-upload ';

/** Remembers in the browser's `localStorage`, or in another Storage: an item for each file, so that tabs do not collide. */
export function createLocalStorageMemory(storage: Pick<Storage, 'getItem' | 'setItem'>): UploadMemory {
  return {
    get(place) {
      const text = storage.getItem(prefix + place);
      return text === null ? undefined : asRecord(JSON.parse(text));
    },
    set: (place, record) => storage.setItem(prefix + place, JSON.stringify(record)),
  };
}
