import { parseAttributeList } from '@latchkey/shared/hls';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeRendition, matchRenditions } from './match-renditions.ts';

const variant = (text: string) => describeText(text, 'EXT-X-STREAM-INF');
const media = (text: string) => describeText(text, 'EXT-X-MEDIA');
const describeText = (text: string, tag: string) => ({
  text,
  attributes: describeRendition(tag, parseAttributeList(text)),
});
type Rendition = ReturnType<typeof variant>;

/** @returns the text of the known rendition that each found one is, or null */
function match(known: readonly Rendition[], found: readonly Rendition[]) {
  const matches = matchRenditions(known, found);
  return found.map((rendition) => matches.get(rendition)?.text ?? null);
}

const [low, high] = [
  variant('BANDWIDTH=800000,RESOLUTION=640x360,CODECS="avc1.4d401e"'),
  variant('BANDWIDTH=2000000,RESOLUTION=1280x720,CODECS="avc1.4d401f"'),
];
const [english, german] = [
  media('TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en"'),
  media('TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de"'),
];

describe('renditions that were read anew', () => {
  it('are the same in every order', () => {
    const renditions = [low, high, english, german];
    fc.assert(
      fc.property(fc.shuffledSubarray(renditions, { minLength: renditions.length }), (found) => {
        expect(match(renditions, found)).toEqual(found.map(({ text }) => text));
      }),
    );
  });

  it.each([
    ['a bandwidth that is measured anew', 'BANDWIDTH=1900000,RESOLUTION=1280x720,CODECS="avc1.4d401f"'],
    ['other codecs', 'BANDWIDTH=2100000,RESOLUTION=1280x720,CODECS="avc1.64001f,mp4a.40.2"'],
  ])('are the same with %s', (_, text) => {
    expect(match([low, high], [variant(text), low])).toEqual([high.text, low.text]);
  });

  it('with the same attributes are told apart by their order of bandwidth', () => {
    const known = [variant('BANDWIDTH=3000000'), variant('BANDWIDTH=900000')];
    const found = [variant('BANDWIDTH=950000'), variant('BANDWIDTH=2800000')];
    expect(match(known, found)).toEqual([known[1]?.text, known[0]?.text]);
  });

  it('that look alike are not guessed if one is missing, and a new one is not taken for an old one', () => {
    expect(
      match([variant('BANDWIDTH=3000000'), variant('BANDWIDTH=900000')], [variant('BANDWIDTH=2000000')]),
    ).toEqual([null]);
    const full = variant('BANDWIDTH=5000000,RESOLUTION=1920x1080,CODECS="avc1.4d401f"');
    expect(match([low, high], [high, full])).toEqual([high.text, null]);
  });

  it('are the same whatever they look like, if there is one of their kind', () => {
    const full = variant('BANDWIDTH=5000000,RESOLUTION=1920x1080');
    expect(match([low, english], [full, english])).toEqual([low.text, english.text]);
  });
});

it('the description of a rendition has no URI, no unknown attribute and no value of a query', () => {
  const text = 'TYPE=AUDIO,NAME="https://u:canary@h/?t=canary",URI="a.m3u8?t=canary",X-TOKEN="canary"';
  expect(JSON.stringify(media(text).attributes)).not.toContain('canary');
});
