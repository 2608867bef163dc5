// Light or dark: the viewer's choice, kept in the browser.
import IconMoon from '@tabler/icons-react/dist/esm/icons/IconMoon.mjs';
import IconSun from '@tabler/icons-react/dist/esm/icons/IconSun.mjs';
import { IconButton } from '../design/button.tsx';
import { chooseScheme, useScheme } from '../design/scheme.ts';
import { textsOf } from '../text/texts.ts';

export function SchemeButton() {
  const isDark = useScheme() === 'dark';
  const text = textsOf('shell');
  return (
    <IconButton
      label={text(isDark ? 'useLight' : 'useDark')}
      onClick={() => chooseScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconSun size={16} aria-hidden /> : <IconMoon size={16} aria-hidden />}
    </IconButton>
  );
}
