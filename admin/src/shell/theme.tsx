import {
  ActionIcon,
  Alert,
  createTheme,
  Drawer,
  type MantineColorScheme,
  Menu,
  Modal,
  NativeSelect,
  PasswordInput,
  SegmentedControl,
  Skeleton,
  TextInput,
  useMantineColorScheme,
} from '@mantine/core';
import { createElement } from 'react';
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

/** Mantine wants ten shades of a colour. Ours follow the page's theme, in tokens.css. */
const shades = (token: string) => Array<string>(10).fill(`var(--${token})`) as never;

/** Mantine's scroll lock writes a <style> element, which the page's policy forbids. base.css locks instead, with this opacity. */
const unlocked = { lockScroll: false, overlayProps: { backgroundOpacity: 0.45 } };

export const theme = createTheme({
  primaryColor: 'accent',
  colors: { accent: shades('accent'), good: shades('good'), warn: shades('warn'), bad: shades('bad') },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Alert: Alert.extend({ defaultProps: { variant: 'light', px: 'md', py: 'sm' } }),
    Skeleton: Skeleton.extend({ defaultProps: { height: '0.875rem', radius: 'sm', 'aria-hidden': true } }),
    Modal: Modal.extend({
      defaultProps: { ...unlocked, centered: true, radius: 'lg', transitionProps: { duration: 120 } },
    }),
    Drawer: Drawer.extend({ defaultProps: { ...unlocked, transitionProps: { duration: 160 } } }),
    Menu: Menu.extend({
      defaultProps: {
        transitionProps: { duration: 80 },
        shadow: 'md',
        // ARIA: a menu is inside a landmark and contains items only.
        portalProps: { target: '#main' },
        withInitialFocusPlaceholder: false,
      },
    }),
    TextInput: TextInput.extend({ defaultProps: { spellCheck: false, autoComplete: 'off' } }),
    PasswordInput: PasswordInput.extend({ defaultProps: { spellCheck: false } }),
    NativeSelect: NativeSelect.extend({
      defaultProps: { autoComplete: 'off', rightSection: createElement(Icon, { name: 'choose', size: 18 }) },
    }),
  },
});
