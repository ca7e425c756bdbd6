import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { Icon, type IconName } from '../components/icon.tsx';
import styles from './theme-switch.module.css';

const choices: [MantineColorScheme, string, IconName][] = [
  ['light', 'Light', 'sun'],
  ['auto', 'Same as system', 'screen'],
  ['dark', 'Dark', 'moon'],
];

const data = choices.map(([value, label, icon]) => ({
  value,
  label: (
    <span className={styles.choice} title={label}>
      <Icon name={icon} size={16} />
      <span className="visually-hidden">{label}</span>
    </span>
  ),
}));

/** Light, dark, or the system's theme. */
export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <SegmentedControl
      aria-label="Theme"
      size="xs"
      radius="xl"
      withItemsBorders={false}
      classNames={{ input: styles.input ?? '' }}
      data={data}
      value={colorScheme}
      onChange={setColorScheme}
    />
  );
}
