/** Length of a packet of MPEG-TS, and its first byte (ISO/IEC 13818-1 section 2.4.3.2). */
const packet = { length: 188, sync: 0x47 };
/** A chance of 2^-40 that encrypted bytes look like it. */
const packetsForSure = 5;
/** Boxes at the start of a segment (ISO/IEC 23009-1 section 6.3.4), or of a file with media. */
const mediaBoxes = new Set(['moof', 'mdat', 'styp', 'sidx', 'prft', 'emsg']);

/** @returns what kind of media in the clear these bytes begin with; null if they look encrypted */
export function findClearMedia(bytes: Buffer): 'MPEG-TS' | 'fMP4' | null {
  const packets = Math.min(packetsForSure, Math.floor(bytes.length / packet.length));
  const isPacket = (_: unknown, index: number) => bytes[index * packet.length] === packet.sync;
  if (packets > 0 && Array.from({ length: packets }).every(isPacket)) return 'MPEG-TS';
  return boxesOf(bytes).some((type) => mediaBoxes.has(type)) ? 'fMP4' : null;
}

/** The types of its boxes, as far as they can be followed (ISO/IEC 14496-12 section 4.2). */
function boxesOf(bytes: Buffer): string[] {
  const types: string[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    types.push(bytes.toString('latin1', at + 4, at + 8));
    // 1 stands for a longer length, and 0 for the rest of the file.
    if (length < 8) break;
    at += length;
  }
  return types;
}
