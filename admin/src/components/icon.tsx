import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconBan,
  IconChartLine,
  IconCheck,
  IconChevronLeft,
  IconChevronRight,
  IconClock,
  IconCopy,
  IconDeviceDesktop,
  IconDots,
  IconDownload,
  IconInfoCircle,
  IconKey,
  IconList,
  IconLogout,
  IconMenu2,
  IconMoon,
  IconMovie,
  IconPencil,
  IconPlus,
  IconRefresh,
  IconSearch,
  IconSelector,
  IconSettings,
  IconSun,
  IconUser,
  IconUsers,
} from '@tabler/icons-react';

/** One icon for each meaning, so that the same action looks the same on every page. */
const icons = {
  chart: IconChartLine,
  check: IconCheck,
  choose: IconSelector,
  clock: IconClock,
  copy: IconCopy,
  down: IconArrowDown,
  download: IconDownload,
  film: IconMovie,
  info: IconInfoCircle,
  key: IconKey,
  left: IconChevronLeft,
  list: IconList,
  menu: IconMenu2,
  moon: IconMoon,
  more: IconDots,
  pencil: IconPencil,
  people: IconUsers,
  person: IconUser,
  plus: IconPlus,
  right: IconChevronRight,
  rotate: IconRefresh,
  screen: IconDeviceDesktop,
  search: IconSearch,
  settings: IconSettings,
  signOut: IconLogout,
  stop: IconBan,
  sun: IconSun,
  up: IconArrowUp,
  warning: IconAlertTriangle,
} as const;

export type IconName = keyof typeof icons;

/** Hidden from screen readers: the text beside it, or the label of its button, carries the meaning. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  const Drawing = icons[name];
  return <Drawing size={size} stroke={1.7} aria-hidden="true" />;
}
