// Settings that make the gateway use the sandbox instead of the real platform and Google.

/** Settings for a gateway with a sandbox at these addresses. The address guard stays on, and allows loopback. */
export function gatewaySettings(
  urls: { cloudApiUrl: string; googleUrl: string },
  googleClient: { id: string; secret: string },
): Record<string, string> {
  return {
    MESSAGING_API_URL: urls.cloudApiUrl,
    GOOGLE_CLIENT_ID: googleClient.id,
    GOOGLE_CLIENT_SECRET: googleClient.secret,
    GOOGLE_API_URL: urls.googleUrl,
    GOOGLE_AUTH_URL: `${urls.googleUrl}/o/oauth2/v2/auth`,
    GOOGLE_TOKEN_URL: `${urls.googleUrl}/token`,
    GOOGLE_REVOKE_URL: `${urls.googleUrl}/revoke`,
    ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8,::1/128',
    ALLOW_HTTP_RECEIVERS: 'true',
  };
}
