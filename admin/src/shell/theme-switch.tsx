import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { Icon, type IconName } from '../components/icon.tsx';
import styles from './theme-switch.module.css';

const choices: [MantineColorScheme, string, IconName][] = [
  ['light', 'Light', 'sun'],
  ['auto', 'As the system', 'screen'],
  ['dark', 'Dark', 'moon'],
];

/** Light, dark, or as the system has it. */
export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <fieldset className={styles.switch}>
      <legend className="visually-hidden">Theme</legend>
      {choices.map(([value, label, icon]) => (
        <label key={value} className={styles.choice} title={label}>
          <input
            type="radio"
            name="theme"
            value={value}
            checked={colorScheme === value}
            onChange={() => setColorScheme(value)}
          />
          <Icon name={icon} size={16} />
          <span className="visually-hidden">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
