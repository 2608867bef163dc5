// Whether the viewer's keyboard has a command key.

export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
