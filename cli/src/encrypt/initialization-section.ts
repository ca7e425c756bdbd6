/** Boxes that describe media and contain none (ISO/IEC 14496-12 section 6.2). `mdat` and `meta` can hold pictures. */
const describingBoxes = new Set(['ftyp', 'styp', 'moov', 'sidx', 'pdin', 'free', 'skip', 'wide']);

/** Tables of MPEG-TS and heads of WebVTT take less than 1 KiB. A longer file is read as boxes only. */
const longestReadWhole = 16 * 1024;

const packetBytes = 188;
/** ISO/IEC 13818-1 table 2-3: tables have the numbers below, and empty packets have the last number. */
const lastReservedPid = 0x1f;
const emptyPid = 0x1fff;

/** Reads a piece of a file, on disk or in memory. */
type ReadPiece = (from: number, count: number) => Promise<Buffer>;

/**
 * Whether a file only describes media, so that it may stay in the clear. Some playlists name a whole film in EXT-X-MAP, which
 * also works in players. So an unknown file counts as media.
 *
 * @param length of the file in bytes
 * @throws what `read` throws
 */
export async function isInitializationSection(length: number, read: ReadPiece): Promise<boolean> {
  if (length <= longestReadWhole) {
    const bytes = await read(0, length);
    if (isTransportTables(bytes) || isSubtitleHead(bytes)) return true;
  }
  return isDescribingBoxes(length, read);
}

async function isDescribingBoxes(length: number, read: ReadPiece): Promise<boolean> {
  let offset = 0;
  while (offset < length) {
    const head = await read(offset, Math.min(16, length - offset));
    if (head.length < 8 || !describingBoxes.has(head.toString('latin1', 4, 8))) return false;
    const size = readBoxSize(head, length - offset);
    if (size === undefined) return false;
    offset += size;
  }
  return length > 0 && offset === length;
}

/** ISO/IEC 14496-12 section 4.2: size 1 means that 64 bits follow the type, size 0 that the box goes to the end. */
function readBoxSize(head: Buffer, rest: number): number | undefined {
  const size = head.readUInt32BE(0);
  if (size === 0) return rest;
  if (size !== 1) return size >= 8 ? size : undefined;
  if (head.length < 16) return undefined;
  const longSize = head.readBigUInt64BE(8);
  return longSize >= 16n && longSize <= BigInt(rest) ? Number(longSize) : undefined;
}

/** Packets of tables alone, as an I-frame playlist of MPEG-TS names them: the program association and its program maps. */
function isTransportTables(bytes: Buffer): boolean {
  if (bytes.length === 0 || bytes.length % packetBytes !== 0) return false;
  const tables = new Set<number>();
  for (let offset = 0; offset < bytes.length; offset += packetBytes) {
    const packet = bytes.subarray(offset, offset + packetBytes);
    if (packet[0] !== 0x47) return false;
    const pid = packet.readUInt16BE(1) & 0x1fff;
    if (pid === 0) for (const named of readProgramMapPids(packet)) tables.add(named);
    if (pid > lastReservedPid && pid !== emptyPid && !tables.has(pid)) return false;
  }
  return true;
}

/** ISO/IEC 13818-1 section 2.4.4.3: after 8 bytes of head, 4 bytes for each program, then a checksum of 4 bytes. */
function readProgramMapPids(packet: Buffer): number[] {
  const adaptationBytes = (packet.readUInt8(3) & 0x20) === 0 ? 0 : 1 + packet.readUInt8(4);
  const pointerAt = 4 + adaptationBytes;
  const section = packet.subarray(pointerAt + 1 + (packet[pointerAt] ?? 0));
  if (section.length < 8) return [];
  const end = Math.min(3 + (section.readUInt16BE(1) & 0x0fff) - 4, section.length);
  const pids: number[] = [];
  for (let offset = 8; offset + 4 <= end; offset += 4) pids.push(section.readUInt16BE(offset + 2) & 0x1fff);
  return pids;
}

/** WebVTT without a cue (RFC 8216 section 3.5): the line of a cue holds an arrow. */
function isSubtitleHead(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  return /^\uFEFF?WEBVTT(\s|$)/.test(text) && !text.includes('-->');
}
