import { expect, test } from 'vitest';
import { type ToolName, toolFormats } from './tool-formats.ts';

const key = {
  key: Buffer.from('a4ad6589c125682427dbee83eb46259f', 'hex'),
  keyId: Buffer.from('00112233445586778899aabb00000000', 'hex'),
  iv: Buffer.alloc(16, 1),
  url: 'https://keys.example.com/keys/film/7',
  keyFile: '/run/film.key',
};

test.each<[ToolName, string]>([
  ['ffmpeg', 'https://keys.example.com/keys/film/7\n/run/film.key\n01010101010101010101010101010101\n'],
  [
    'shaka',
    `--enable_raw_key_encryption
--keys=label=:key_id=00112233445586778899aabb00000000:key=a4ad6589c125682427dbee83eb46259f
--protection_systems=CommonSystem
--clear_lead=0
--hls_key_uri=https://keys.example.com/keys/film/7
`,
  ],
  [
    'bento4',
    `--encryption-mode AES-128
--encryption-key a4ad6589c125682427dbee83eb46259f
--encryption-iv-mode random
--encryption-key-uri https://keys.example.com/keys/film/7
--encryption-key-format identity
--encryption-key-format-versions 1
`,
  ],
  [
    'gpac',
    `<?xml version="1.0" encoding="UTF-8"?>
<GPACDRM type="CENC AES-CTR">
  <CrypTrack trackID="0" IsEncrypted="1" IV_size="8" first_IV="0x0101010101010101" saiSavedBox="senc">
    <key KID="0x00112233445586778899aabb00000000" value="0xa4ad6589c125682427dbee83eb46259f"/>
  </CrypTrack>
</GPACDRM>
`,
  ],
])('%s gets what it reads', (tool, text) => {
  expect(toolFormats[tool](key)).toBe(text);
});

test('mediaconvert gets the encryption of an HLS group', () => {
  expect(JSON.parse(toolFormats.mediaconvert(key))).toEqual({
    EncryptionMethod: 'AES128',
    InitializationVectorInManifest: 'INCLUDE',
    Type: 'STATIC_KEY',
    StaticKeyProvider: {
      KeyFormat: 'identity',
      KeyFormatVersions: '1',
      StaticKeyValue: 'a4ad6589c125682427dbee83eb46259f',
      Url: 'https://keys.example.com/keys/film/7',
    },
  });
});
