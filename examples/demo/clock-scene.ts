import { frameRate, type Scene } from '@latchkey/support/video/make-video';
import { runFfmpeg } from '@latchkey/support/video/run-ffmpeg';

export interface ClockOptions {
  readonly seconds: number;
  /** Length of a key period. */
  readonly periodSeconds: number;
  /** The time of the clock on the first picture, in seconds since 1970. Default: 0. */
  readonly clockSeconds?: number;
}

const renditions = [
  { size: '1280x720', bitrate: '1400k' },
  { size: '640x360', bitrate: '500k' },
];
/** Degrees by which the colour turns from one key period to the next: enough to see the difference. */
const hueStepDegrees = 35;

/**
 * A clock with the number of the key period. The background colour and the pitch of a soft note each second change with
 * the period, so a viewer sees and hears which key is in use. An ffmpeg that cannot draw text (built without it, or no font on the
 * machine) gets its test picture, which counts seconds itself.
 */
export async function drawScene(ffmpeg: string, options: ClockOptions): Promise<Scene> {
  const sound = ringNotes(options);
  const picture = drawClock(options);
  try {
    await runFfmpeg(ffmpeg, ['-f', 'lavfi', '-i', picture, '-frames:v', '1', '-f', 'null', '-']);
    return { picture, sound, renditions };
  } catch {
    const test = `testsrc2=size=1280x720:rate=${frameRate}:duration=${options.seconds}`;
    return { picture: test, sound, renditions };
  }
}

function drawClock(options: ClockOptions): string {
  const { seconds, periodSeconds, clockSeconds = 0 } = options;
  const periods = `t/${periodSeconds}`;
  const ground = `gradients=size=1280x720:rate=${frameRate}:nb_colors=2:c0=0x14213d:c1=0x25706a:x0=0:y0=0:x1=1280:y1=720`;
  const middle = 'fontcolor=white:x=(w-tw)/2';
  // A colon separates options and, within text, the arguments of a function. The second kind is escaped twice.
  const clock = `text='%{pts\\:gmtime\\:${clockSeconds}\\:%M\\\\\\:%S}':fontsize=170:${middle}:y=205`;
  const period = `text='key period %{eif\\:trunc(${periods})\\:d}':fontsize=52:${middle}:y=430`;
  // Crosses the picture once in each key period.
  const dot = `text=.:fontsize=120:fontcolor=white:x='60+(w-120-tw)*mod(${periods},1)':y=600`;
  return [
    // One picture of the background, repeated: drawing it for each frame takes longer than encoding it.
    `${ground},loop=loop=-1:size=1,setpts=N/(${frameRate}*TB),trim=duration=${seconds}`,
    `hue=s=0.8:h='${hueStepDegrees}*trunc(${periods})'`,
    ...[clock, period, dot].map((text) => `drawtext=${text}`),
  ].join(',');
}

/** A pentatonic scale upwards from A3, with a step for each key period. */
function ringNotes({ seconds, periodSeconds }: ClockOptions): string {
  const step = `mod(trunc(t/${periodSeconds}),5)`;
  const semitones = `(2*${step}+gte(${step},3))`;
  const note = `0.12*sin(2*PI*220*pow(2,${semitones}/12)*mod(t,1))*exp(-5*mod(t,1))*min(1,100*mod(t,1))`;
  // Ends a moment before the picture. As a separate rendition it would otherwise have one more segment, and one more key.
  return `aevalsrc='${note}':sample_rate=48000:duration=${seconds - 0.1}`;
}
