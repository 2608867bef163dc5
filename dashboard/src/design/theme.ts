// Mantine in the page's colours and sizes. The tokens are in tokens.css.
import { createTheme, type MantineColorsTuple } from '@mantine/core';

const accent: MantineColorsTuple = [
  '#eef1fc',
  '#dbe2f8',
  '#c3cdf3',
  '#9fb0ea',
  '#7c92e0',
  '#5a75d5',
  '#3f5dcb',
  '#3050c4',
  '#2743a8',
  '#1f378c',
];

export const theme = createTheme({
  primaryColor: 'accent',
  colors: { accent },
  primaryShade: { light: 7, dark: 6 },
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  defaultRadius: 6,
  fontSizes: { xs: '13px', sm: '13px', md: '14px' },
  black: '#1b1a18',
  cursorType: 'pointer',
  respectReducedMotion: true,
});
