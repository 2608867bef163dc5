// The address of a dashboard link. Pure.

/** The secret is in the fragment, which browsers do not send to servers. */
export const linkUrl = (publicUrl: string, token: string): string => `${publicUrl}/#link=${token}`;
