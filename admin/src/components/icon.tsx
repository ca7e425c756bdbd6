import * as icons from './icons.ts';

export type IconName = keyof typeof icons;

/** Hidden from screen readers: the text next to it, or the label of its button, carries the meaning. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: every icon of that file is used
  const Drawing = icons[name];
  return <Drawing size={size} stroke={1.7} aria-hidden="true" />;
}
