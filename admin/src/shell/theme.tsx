import { createTheme, type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { createElement } from 'react';
import { Icon, type IconName } from '../components/icon.tsx';

const choices: [MantineColorScheme, string, IconName][] = [
  ['light', 'Light', 'sun'],
  ['auto', 'Same as system', 'screen'],
  ['dark', 'Dark', 'moon'],
];

const data = choices.map(([value, label, icon]) => ({
  value,
  label: (
    <span style={{ display: 'grid', placeItems: 'center', height: '1.25rem' }} title={label}>
      <Icon name={icon} size={16} />
      <span className="visually-hidden">{label}</span>
    </span>
  ),
}));

/** Covers the whole segment. Mantine's input has no size, so touch exploration with a screen reader would miss it. */
const cover = { inset: 0, zIndex: 3, width: '100%', height: '100%', margin: 0, cursor: 'pointer' };

/** Light, dark, or the system's theme. */
export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <SegmentedControl
      aria-label="Theme"
      size="xs"
      radius="xl"
      withItemsBorders={false}
      styles={{ input: cover }}
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
  colors: { good: shades('good'), warn: shades('warn'), bad: shades('bad') },
  cursorType: 'pointer',
  respectReducedMotion: true,
  // By name: a page loads what it shows of these.
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Alert: { defaultProps: { variant: 'light', px: 'md', py: 'sm' } },
    Skeleton: { defaultProps: { height: '0.875rem', radius: 'sm', 'aria-hidden': true } },
    Modal: {
      defaultProps: { ...unlocked, centered: true, radius: 'lg', transitionProps: { duration: 120 } },
    },
    Drawer: { defaultProps: { ...unlocked, transitionProps: { duration: 160 } } },
    Menu: {
      defaultProps: {
        transitionProps: { duration: 80 },
        shadow: 'md',
        // ARIA: a menu is inside a landmark and contains items only.
        portalProps: { target: '#main' },
        withInitialFocusPlaceholder: false,
      },
    },
    TextInput: { defaultProps: { spellCheck: false, autoComplete: 'off' } },
    PasswordInput: { defaultProps: { spellCheck: false } },
    NativeSelect: {
      defaultProps: { autoComplete: 'off', rightSection: createElement(Icon, { name: 'choose', size: 18 }) },
    },
  },
});
