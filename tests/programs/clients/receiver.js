// As the receiver of a Cast device plays: Shaka Player with a URL, and without a filter that adds anything.
const video = document.querySelector('video');
const report = { errors: [], ended: false };

window.play = async (url) => {
  const { shaka } = window;
  shaka.polyfill.installAll();
  const player = new shaka.Player();
  await player.attach(video);
  player.addEventListener('error', ({ detail }) => report.errors.push(`${detail.code} ${detail.data}`));
  video.addEventListener('ended', () => {
    report.ended = true;
  });
  video.play().catch(() => {});
  await player.load(url).catch((error) => report.errors.push(`${error.code} ${error.data}`));
  video.play().catch(() => {});
};

window.seen = () => ({
  ...report,
  currentTime: video.currentTime,
  pictures: video.getVideoPlaybackQuality().totalVideoFrames,
});
