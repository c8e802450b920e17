"""Write a tiny model that says what the last user message tells it to, for a real llama-server to run.

    python -m tests.fakes.parrot OUT.gguf [--xml]

The weights are computed. The one layer has one attention head which looks back over a fixed distance and copies the
token it finds; the chat template puts the text to be said at that distance before the answer. A token is a byte.

The last user message is a script. Lines that read `---` cut it into pieces, and after k tool results piece k is said;
a message without such lines is echoed. A piece whose first line is `@system:WORD` is said instead whenever the system
prompt contains WORD, and does not count. A piece of up to 2,000 bytes ends by itself; of a longer one the last 2,035
bytes are said again and again until something stops it. Under a grammar only what the grammar allows can be said.
To continue a partial answer the server writes a thinking block before it: begin such a piece with one, empty or not.

The padding between text and answer moves with the last message, so the prompt does not grow by appending as that of
other models does; with `chat_template_kwargs: {"padding": false}` `/apply-template` shows the prompt without it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt
from gguf import GGUFWriter, TokenType

from tests.fakes.parrot_template import SPECIAL_TOKENS, parrot_template

PERIOD = 2048  # how many tokens after a token its copy comes
CONTEXT = 32768

_BASE = 10_000.0  # of the rotary position embedding
_SHARPNESS = 9.5  # of the head's look: lower blurs neighbours, higher overflows
_BYTES = 256
_FEED_FORWARD = 32

Matrix = npt.NDArray[np.float32]


def write_parrot(path: Path, *, xml: bool = False, template: str = "") -> None:
    """Write the model to `path`. xml: tool calls as `<function=NAME>` tags, not as JSON.

    template: another chat template, to look at the prompts it makes; the model then says nothing of use.
    """
    vocabulary = [*_byte_names(), *SPECIAL_TOKENS]
    writer = GGUFWriter(path, "llama")
    tensors = _tensors(len(vocabulary))
    _add_shape(writer, width=tensors["token_embd"].shape[1])
    _add_tokens(writer, vocabulary)
    writer.add_chat_template(template or parrot_template(xml=xml, period=PERIOD))
    for name, values in tensors.items():
        writer.add_tensor(f"{name}.weight", values if values.ndim == 1 else values.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_shape(writer: GGUFWriter, *, width: int) -> None:
    writer.add_name("Parrot")
    writer.add_description("Says what the last user message tells it to; for testing chat programs")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_FEED_FORWARD)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(width)
    writer.add_rope_freq_base(_BASE)


def _add_tokens(writer: GGUFWriter, vocabulary: list[str]) -> None:
    special = len(vocabulary) - _BYTES
    writer.add_vocab_size(len(vocabulary))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(vocabulary)
    writer.add_token_types([TokenType.NORMAL] * _BYTES + [TokenType.CONTROL] * special)
    # The format wants at least one merge: two control characters that no text has side by side.
    writer.add_token_merges([f"{vocabulary[0]} {vocabulary[1]}"])
    writer.add_bos_token_id(vocabulary.index("<|endoftext|>"))
    writer.add_eos_token_id(vocabulary.index("<|im_end|>"))
    writer.add_pad_token_id(vocabulary.index("<|pad|>"))
    writer.add_add_bos_token(False)


def _byte_names() -> list[str]:
    """The characters that stand for the 256 bytes in GPT-2's vocabulary, in the order of the bytes.

    A byte that prints in Latin-1 stands for itself; the others are numbered from U+0100 on.
    """
    printable = [chr(b).isprintable() and chr(b) != " " for b in range(_BYTES)]
    return [chr(b if printable[b] else _BYTES + b - sum(printable[:b])) for b in range(_BYTES)]


def _tensors(tokens: int) -> dict[str, Matrix]:
    """The weights.

    Dimensions 0 to tokens-1 of the stream say which token stands here, dimension `tokens` is 1 everywhere, and
    the head writes what it copied to the `tokens` dimensions after that, from which the output is read.
    """
    constant, copied = tokens, tokens + 1
    width = -(-(2 * tokens + 1) // 32) * 32
    which = np.arange(tokens)
    gain = np.sqrt(width / 2)  # each position holds two ones; RMS normalisation makes this of each

    embedding = _zeros(tokens, width)
    embedding[which, which] = 1
    embedding[:, constant] = 1

    # Rotary embedding turns pair i of query and key by position * angle[i]. A query turned back by the distance
    # beforehand fits best the key exactly that far away: the scores are a sum of cosines with one common peak.
    distance = PERIOD - 1  # the copy is said one position after the look
    angle = distance * _BASE ** (-2 * np.arange(width // 2) / width)
    query, key, value, output = (_zeros(width, width) for _ in range(4))
    query[0::2, constant] = _SHARPNESS * np.cos(angle) / gain
    query[1::2, constant] = -_SHARPNESS * np.sin(angle) / gain
    key[0::2, constant] = _SHARPNESS / gain
    value[which, which] = 1 / gain
    output[copied + which, which] = 4  # loud against the one-hot of the token that stands here

    head = _zeros(tokens, width)
    head[which, copied + which] = 1.5  # times the normalised 4: the copy wins over all other tokens by far
    return {
        "token_embd": embedding,
        "output": head,
        "output_norm": np.ones(width, np.float32),
        "blk.0.attn_norm": np.ones(width, np.float32),
        "blk.0.ffn_norm": np.ones(width, np.float32),
        "blk.0.attn_q": query,
        "blk.0.attn_k": key,
        "blk.0.attn_v": value,
        "blk.0.attn_output": output,
        "blk.0.ffn_gate": _zeros(_FEED_FORWARD, width),
        "blk.0.ffn_up": _zeros(_FEED_FORWARD, width),
        "blk.0.ffn_down": _zeros(width, _FEED_FORWARD),
    }


def _zeros(rows: int, columns: int) -> Matrix:
    return np.zeros((rows, columns), np.float32)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Write the parrot model.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--xml", action="store_true", help="tool calls in tags instead of JSON")
    options = parser.parse_args()
    write_parrot(options.out, xml=options.xml)


if __name__ == "__main__":
    main()
