// Light or dark: the viewer's choice, kept in the browser.
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import IconMoon from '@tabler/icons-react/dist/esm/icons/IconMoon.mjs';
import IconSun from '@tabler/icons-react/dist/esm/icons/IconSun.mjs';
import { IconButton } from '../design/button.tsx';
import { textsOf } from '../text/texts.ts';

export function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  const text = textsOf('shell');
  return (
    <IconButton
      label={text(isDark ? 'useLight' : 'useDark')}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconSun size={16} aria-hidden /> : <IconMoon size={16} aria-hidden />}
    </IconButton>
  );
}
