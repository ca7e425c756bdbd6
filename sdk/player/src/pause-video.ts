/**
 * Pauses a video and keeps it so: what is in the buffer could be played on otherwise. The picture stays.
 *
 * @returns lets it be played again
 */
export function holdPaused(video: HTMLVideoElement): () => void {
  const pause = () => video.pause();
  pause();
  video.addEventListener('play', pause);
  return () => video.removeEventListener('play', pause);
}
