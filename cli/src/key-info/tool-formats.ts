/** A content key, as a tool gets it. */
export interface ToolKey {
  /** 16 bytes. */
  readonly key: Buffer;
  /** 16 bytes: the key id of Common Encryption. */
  readonly keyId: Buffer;
  /** 16 bytes at random. */
  readonly iv: Buffer;
  /** Where players fetch the key. */
  readonly url: string;
  /** Where the file with the 16 bytes of the key lies. */
  readonly keyFile: string;
}

/** The text that each tool reads. */
export const toolFormats = {
  ffmpeg: ({ url, keyFile, iv }) => `${url}\n${keyFile}\n${iv.toString('hex')}\n`,
  // A flag file. Shaka Packager has no AES-128 of whole segments, so these are the flags of Common Encryption.
  shaka: ({ key, keyId, url }) =>
    [
      '--enable_raw_key_encryption',
      `--keys=label=:key_id=${keyId.toString('hex')}:key=${key.toString('hex')}`,
      '--protection_systems=CommonSystem',
      '--clear_lead=0',
      `--hls_key_uri=${url}`,
      '',
    ].join('\n'),
  bento4: ({ key, url }) =>
    [
      '--encryption-mode AES-128',
      `--encryption-key ${key.toString('hex')}`,
      '--encryption-iv-mode random',
      `--encryption-key-uri ${url}`,
      '--encryption-key-format identity',
      '--encryption-key-format-versions 1',
      '',
    ].join('\n'),
  // The DRM file of MP4Box -crypt. A track id of 0 is every track.
  gpac: ({ key, keyId, iv }) =>
    `<?xml version="1.0" encoding="UTF-8"?>
<GPACDRM type="CENC AES-CTR">
  <CrypTrack trackID="0" IsEncrypted="1" IV_size="8" first_IV="0x${iv.toString('hex', 0, 8)}" saiSavedBox="senc">
    <key KID="0x${keyId.toString('hex')}" value="0x${key.toString('hex')}"/>
  </CrypTrack>
</GPACDRM>
`,
  // `HlsGroupSettings.Encryption` of a job.
  mediaconvert: ({ key, url }) =>
    `${JSON.stringify(
      {
        EncryptionMethod: 'AES128',
        InitializationVectorInManifest: 'INCLUDE',
        Type: 'STATIC_KEY',
        StaticKeyProvider: {
          KeyFormat: 'identity',
          KeyFormatVersions: '1',
          StaticKeyValue: key.toString('hex'),
          Url: url,
        },
      },
      null,
      2,
    )}\n`,
} satisfies Readonly<Record<string, (key: ToolKey) => string>>;

export type ToolName = keyof typeof toolFormats;
