/** The documented texts of failures. */
export const NOT_AVAILABLE = 'Screen capture not available';
export const CAPTURE_FAILED = 'Capture failed';
export const UNSUPPORTED_FORMAT = 'Unsupported screen snapshot format. Supported formats: png, jpeg.';
export const RECORDING_NOT_AVAILABLE = 'Screen recording not available';
export const RECORDING_FAILED = 'Recording failed';
export const UNSUPPORTED_RECORDING = 'Unsupported screen recording format. Only mp4 is supported.';
