//! The embedder of a folder, with a BERT of two layers whose files are written here, against a
//! forward pass written out by hand.

use browserlens_embedding::Local;
use browserlens_reading::embed::{EmbedError, Embedder};
use safetensors::tensor::{Dtype, TensorView, serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

const SIZE: usize = 32;
const HEADS: usize = 4;
const INNER: usize = 64;
const POSITIONS: usize = 24;
const LAYERS: usize = 2;
const EPSILON: f32 = 1e-12;
const WORDS: [&str; 12] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "return", "policy", "within", "thirty", "days", "refund", "##s", "a"];

type Weights = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

fn weights() -> Weights {
    let mut state = 42_u64;
    let mut random = |shape: &[usize], centre: f32| {
        let numbers = (0..shape.iter().product::<usize>()).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            centre + ((state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5) * 0.6
        });
        (shape.to_vec(), numbers.collect::<Vec<f32>>())
    };
    let mut all = Weights::new();
    let mut put = |name: String, value| all.insert(name, value);
    for (name, rows) in [("word", WORDS.len()), ("position", POSITIONS), ("token_type", 2)] {
        put(format!("embeddings.{name}_embeddings.weight"), random(&[rows, SIZE], 0.0));
    }
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    for layer in 0..LAYERS {
        let at = format!("encoder.layer.{layer}");
        norms.extend([format!("{at}.attention.output.LayerNorm"), format!("{at}.output.LayerNorm")]);
        let linear = [
            ("attention.self.query", SIZE, SIZE),
            ("attention.self.key", SIZE, SIZE),
            ("attention.self.value", SIZE, SIZE),
            ("attention.output.dense", SIZE, SIZE),
            ("intermediate.dense", INNER, SIZE),
            ("output.dense", SIZE, INNER),
        ];
        for (name, out, input) in linear {
            put(format!("{at}.{name}.weight"), random(&[out, input], 0.0));
            put(format!("{at}.{name}.bias"), random(&[out], 0.0));
        }
    }
    for norm in norms {
        put(format!("{norm}.weight"), random(&[SIZE], 1.0));
        put(format!("{norm}.bias"), random(&[SIZE], 0.0));
    }
    all
}

fn write_weights(folder: &Path, weights: &Weights) {
    let bytes: Vec<(&String, &Vec<usize>, Vec<u8>)> = weights
        .iter()
        .map(|(name, (shape, numbers))| (name, shape, numbers.iter().flat_map(|x| x.to_le_bytes()).collect()))
        .collect();
    let views = bytes
        .iter()
        .map(|(name, shape, bytes)| (*name, TensorView::new(Dtype::F32, (*shape).clone(), bytes).expect("a tensor")));
    std::fs::write(folder.join("model.safetensors"), serialize(views, None).expect("serialises")).expect("writes");
}

fn write_json(folder: &Path, name: &str, value: &serde_json::Value) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, value.to_string()).expect("writes");
}

fn config() -> serde_json::Value {
    json!({
        "model_type": "bert", "vocab_size": WORDS.len(), "hidden_size": SIZE, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "intermediate_size": INNER, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
        "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "initializer_range": 0.02,
        "layer_norm_eps": EPSILON, "pad_token_id": 0,
    })
}

fn tokenizer() -> serde_json::Value {
    let vocabulary: serde_json::Map<String, serde_json::Value> =
        WORDS.iter().enumerate().map(|(at, word)| ((*word).to_owned(), json!(at))).collect();
    let special = |id: usize| {
        json!({ "id": id, "content": WORDS[id], "single_word": false, "lstrip": false,
        "rstrip": false, "normalized": false, "special": true })
    };
    let mark = |name: &str| json!({ "SpecialToken": { "id": name, "type_id": 0 } });
    json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [special(0), special(1), special(2), special(3)],
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [mark("[CLS]"), { "Sequence": { "id": "A", "type_id": 0 } }, mark("[SEP]")],
            "pair": [mark("[CLS]"), { "Sequence": { "id": "A", "type_id": 0 } }, mark("[SEP]")],
            "special_tokens": {
                "[CLS]": { "id": "[CLS]", "ids": [2], "tokens": ["[CLS]"] },
                "[SEP]": { "id": "[SEP]", "ids": [3], "tokens": ["[SEP]"] },
            },
        },
        "decoder": null,
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary },
    })
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write_json(folder.path(), "config.json", &config());
    write_json(folder.path(), "tokenizer.json", &tokenizer());
    write_json(
        folder.path(),
        "1_Pooling/config.json",
        &json!({ "word_embedding_dimension": SIZE, "pooling_mode_mean_tokens": true }),
    );
    write_weights(folder.path(), &weights());
    folder
}

fn linear(weights: &Weights, name: &str, rows: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let (shape, weight) = &weights[&format!("{name}.weight")];
    let bias = &weights[&format!("{name}.bias")].1;
    let input = shape[1];
    let out = |row: &Vec<f32>, o: usize| bias[o] + (0..input).map(|i| weight[o * input + i] * row[i]).sum::<f32>();
    rows.iter().map(|row| (0..shape[0]).map(|o| out(row, o)).collect()).collect()
}

fn norm(weights: &Weights, name: &str, rows: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let (weight, bias) = (&weights[&format!("{name}.weight")].1, &weights[&format!("{name}.bias")].1);
    let one = |row: &Vec<f32>| {
        let mean = row.iter().sum::<f32>() / SIZE as f32;
        let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / SIZE as f32;
        (0..SIZE).map(|i| (row[i] - mean) / (variance + EPSILON).sqrt() * weight[i] + bias[i]).collect()
    };
    rows.iter().map(one).collect()
}

fn add(left: &[Vec<f32>], right: &[Vec<f32>]) -> Vec<Vec<f32>> {
    left.iter().zip(right).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect()
}

/// The error function by its series, in f64.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..120 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

/// BERT's forward pass over one text, token by token.
fn states(weights: &Weights, ids: &[usize]) -> Vec<Vec<f32>> {
    let row = |name: &str, at: usize| {
        weights[&format!("embeddings.{name}_embeddings.weight")].1[at * SIZE..(at + 1) * SIZE].to_vec()
    };
    let words: Vec<Vec<f32>> = ids.iter().map(|id| row("word", *id)).collect();
    let places: Vec<Vec<f32>> = (0..ids.len()).map(|at| row("position", at)).collect();
    let kinds = vec![row("token_type", 0); ids.len()];
    let mut hidden = norm(weights, "embeddings.LayerNorm", &add(&add(&words, &places), &kinds));
    let head = SIZE / HEADS;
    for layer in 0..LAYERS {
        let at = format!("encoder.layer.{layer}");
        let part = |name: &str| linear(weights, &format!("{at}.attention.self.{name}"), &hidden);
        let (query, key, value) = (part("query"), part("key"), part("value"));
        let mut context = vec![vec![0.0; SIZE]; ids.len()];
        for start in (0..SIZE).step_by(head) {
            for (token, mixed) in context.iter_mut().enumerate() {
                let score = |other: usize| {
                    (start..start + head).map(|i| query[token][i] * key[other][i]).sum::<f32>() / (head as f32).sqrt()
                };
                let powers: Vec<f32> = (0..ids.len()).map(|other| score(other).exp()).collect();
                let sum: f32 = powers.iter().sum();
                for i in start..start + head {
                    mixed[i] = (0..ids.len()).map(|other| powers[other] / sum * value[other][i]).sum();
                }
            }
        }
        let context = linear(weights, &format!("{at}.attention.output.dense"), &context);
        let attended = norm(weights, &format!("{at}.attention.output.LayerNorm"), &add(&context, &hidden));
        let mut inner = linear(weights, &format!("{at}.intermediate.dense"), &attended);
        for x in inner.iter_mut().flatten() {
            *x = (f64::from(*x) * 0.5 * (1.0 + erf(f64::from(*x) / std::f64::consts::SQRT_2))) as f32;
        }
        let out = linear(weights, &format!("{at}.output.dense"), &inner);
        hidden = norm(weights, &format!("{at}.output.LayerNorm"), &add(&out, &attended));
    }
    hidden
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.into_iter().map(|x| x / length).collect()
}

fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }
}

#[test]
fn a_vector_is_what_the_forward_pass_by_hand_gives() {
    let folder = folder();
    let embedder = Local::open(folder.path()).expect("loads");
    let found = embedder.embed(&["Return policy", "within thirty days refunds"]).expect("embeds");
    for (found, ids) in found.iter().zip([&[2, 4, 5, 3][..], &[2, 6, 7, 8, 9, 10, 3]]) {
        let states = states(&weights(), ids);
        let mean = (0..SIZE).map(|i| states.iter().map(|row| row[i]).sum::<f32>() / ids.len() as f32).collect();
        assert_near(found, &unit(mean));
    }
    write_json(folder.path(), "1_Pooling/config.json", &json!({ "pooling_mode_cls_token": true }));
    let by_first = Local::open(folder.path()).expect("loads");
    assert_near(
        &by_first.embed(&["return policy"]).expect("embeds")[0],
        &unit(states(&weights(), &[2, 4, 5, 3]).remove(0)),
    );
    assert_ne!(by_first.id(), embedder.id(), "another pooling gives other vectors");
    assert!(embedder.id().starts_with("local/1/") && embedder.id().ends_with("/32"));
}

#[test]
fn padding_and_batches_change_nothing_and_long_texts_are_cut() {
    let folder = folder();
    let embedder = Local::open(folder.path()).expect("loads");
    let long = "return within days ".repeat(500);
    let texts: Vec<&str> = ["a", "", long.as_str(), "unknown words"].into_iter().cycle().take(35).collect();
    let together = embedder.embed(&texts).expect("embeds");
    assert_eq!(together.len(), 35);
    for (text, vector) in texts.iter().zip(&together).take(8) {
        assert_near(vector, &embedder.embed(&[text]).expect("embeds")[0]);
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4);
    }
}

fn refused(folder: &Path) -> String {
    let error = Local::open(folder).expect_err("refused");
    assert!(matches!(error, EmbedError::Model { .. }) && error.hint().contains("sentence-transformers"), "{error}");
    error.to_string()
}

#[test]
fn what_is_missing_is_named() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = folder();
        std::fs::remove_file(folder.path().join(name)).expect("removes");
        assert!(refused(folder.path()).contains(name));
    }
    let folder = folder();
    std::fs::remove_dir_all(folder.path().join("1_Pooling")).expect("removes");
    Local::open(folder.path()).expect("the mean is the usual pooling");
}

#[test]
fn damaged_weights_are_refused() {
    let folder = folder();
    let path = folder.path().join("model.safetensors");
    let whole = std::fs::read(&path).expect("reads");
    for length in [0, 4, 8, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).expect("writes");
        assert!(refused(folder.path()).contains("model.safetensors"), "{length}");
    }
    let mut weights = weights();
    weights.insert("embeddings.LayerNorm.weight".to_owned(), (vec![SIZE - 1], vec![1.0; SIZE - 1]));
    write_weights(folder.path(), &weights);
    assert!(refused(folder.path()).contains("shape"), "{}", refused(folder.path()));
    weights.remove("embeddings.LayerNorm.weight");
    weights.remove("encoder.layer.1.output.dense.weight");
    write_weights(folder.path(), &weights);
    assert!(refused(folder.path()).contains("model.safetensors"));
}

#[test]
fn weights_that_are_no_numbers_are_an_error_and_no_vector() {
    let folder = folder();
    let mut weights = weights();
    weights.get_mut("embeddings.word_embeddings.weight").expect("there").1[4 * SIZE] = f32::NAN;
    write_weights(folder.path(), &weights);
    let embedder = Local::open(folder.path()).expect("loads");
    assert!(matches!(embedder.embed(&["policy", "return"]), Err(EmbedError::NotFinite { at: 1 })));
}

#[test]
fn wrong_sizes_and_kinds_are_refused() {
    let folder = folder();
    for (name, value) in [
        ("num_attention_heads", json!(0)),
        ("num_attention_heads", json!(5)),
        ("hidden_size", json!(u32::MAX)),
        ("vocab_size", json!(0)),
        ("pad_token_id", json!(99)),
        ("model_type", json!("llama")),
        ("hidden_act", json!("swish")),
        ("hidden_size", json!(-1)),
    ] {
        let mut config = config();
        config[name] = value;
        write_json(folder.path(), "config.json", &config);
        assert!(refused(folder.path()).contains("config.json"), "{name}");
    }
    write_json(folder.path(), "config.json", &config());
    for pooling in [json!({ "pooling_mode_max_tokens": true }), json!({}), json!([])] {
        write_json(folder.path(), "1_Pooling/config.json", &pooling);
        assert!(refused(folder.path()).contains("1_Pooling"), "{pooling}");
    }
    std::fs::remove_dir_all(folder.path().join("1_Pooling")).expect("removes");
    write_json(folder.path(), "modules.json", &json!([{ "type": "sentence_transformers.models.Dense" }]));
    assert!(refused(folder.path()).contains("modules.json"));
}

#[test]
fn hostile_tokenizers_are_errors() {
    let folder = folder();
    let mut huge = tokenizer();
    huge["model"]["vocab"]["return"] = json!(u32::MAX);
    let mut no_unknown = tokenizer();
    no_unknown["model"]["unk_token"] = json!("[NONE]");
    let mut regex = tokenizer();
    regex["pre_tokenizer"] =
        json!({ "type": "Split", "pattern": { "Regex": "(((" }, "behavior": "Isolated", "invert": false });
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for text in ["".to_owned(), "{}".to_owned(), "[]".to_owned(), deep, regex.to_string()] {
        std::fs::write(folder.path().join("tokenizer.json"), &text).expect("writes");
        assert!(refused(folder.path()).contains("tokenizer.json"), "{:.40}", text);
    }
    // These load: the error comes with the text that needs what is not there.
    for (tokenizer, text) in [(huge, "return"), (no_unknown, "zebra")] {
        write_json(folder.path(), "tokenizer.json", &tokenizer);
        let embedded = Local::open(folder.path()).and_then(|embedder| embedder.embed(&[text]));
        assert!(matches!(embedded, Err(EmbedError::Model { .. })), "{text}");
    }
}
