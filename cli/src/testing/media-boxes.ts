/** A box of ISO BMFF (ISO/IEC 14496-12 section 4.2): its size, its type, its content. */
export function makeBox(type: string, content: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

/** An initialization section as a packager writes it. @param mark distinguishes it from others */
export function makeInitialization(mark = ''): Buffer {
  return Buffer.concat([makeBox('ftyp', Buffer.from('iso6')), makeBox('moov', Buffer.from(mark))]);
}

/** A fragment of media: `moof` and `mdat`. */
export function makeFragment(media: Uint8Array): Buffer {
  return Buffer.concat([makeBox('moof'), makeBox('mdat', media)]);
}

/** One packet of MPEG-TS (ISO/IEC 13818-1 section 2.4.3.2) that begins a payload. */
export function makeTransportPacket(pid: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const packet = Buffer.alloc(188, 0xff);
  packet.set([0x47, 0x40 | (pid >> 8), pid & 0xff, 0x10], 0);
  packet.set(payload, 4);
  return packet;
}

/** The packet of a program association table (section 2.4.4.3) that names one program map. */
export function makeProgramTable(programMapPid: number): Buffer {
  const section = [0x00, 0xb0, 13, 0, 1, 0xc1, 0, 0, 0, 1, 0xe0 | (programMapPid >> 8), programMapPid & 0xff];
  // A pointer field of 0, the section, and its checksum, which nobody here reads.
  return makeTransportPacket(0, Uint8Array.from([0, ...section, 0, 0, 0, 0]));
}
